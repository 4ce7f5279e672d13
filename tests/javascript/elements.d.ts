// Which element an id or a selector means stands in the HTML, where the checker doesn't look: any may be meant.
interface Document {
  getElementById(id: string): any;
}

interface ParentNode {
  querySelector(selector: string): any;
  querySelectorAll(selector: string): NodeListOf<any>;
}

interface Element {
  closest(selector: string): any;
}
