// A browser lets no page that is a file start a worker. On such a page, the search's runs in a frame instead.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(url) {
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      this.inside = this.frame.contentWindow;
      this.inside.postMessage = (data) => setTimeout(() => this.onmessage?.({ data }));
      const script = this.inside.document.createElement("script");
      script.src = url;
      script.onerror = () => this.onerror?.(new ErrorEvent("error"));
      script.onload = () => {
        const waiting = this.waiting;
        this.waiting = null;
        waiting.forEach((data) => this.postMessage(data));
      };
      this.inside.document.body.append(script);
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else setTimeout(() => this.inside?.onmessage?.({ data }));
    }
    terminate() {
      this.inside = null;
      this.frame.remove();
    }
  };
}
