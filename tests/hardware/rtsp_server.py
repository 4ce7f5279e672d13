"""A camera on a network that speaks RTSP, as IP cameras do: GStreamer's server, run by Debian's Python.

    /usr/bin/python3 rtsp_server.py PORT

At port 0 it takes a free one; it prints its port once it listens.
"""

import sys

import gi  # type: ignore[import-not-found]  # it belongs to Debian's Python

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # type: ignore[import-not-found]  # noqa: E402 - versions first

PICTURES = (
    "( videotestsrc is-live=true pattern=ball ! video/x-raw,format=I420,width=96,height=64,framerate=30/1"
    " ! jpegenc ! rtpjpegpay name=pay0 )"
)

Gst.init(None)
server = GstRtspServer.RTSPServer()
server.props.address, server.props.service = "127.0.0.1", sys.argv[1]
factory = GstRtspServer.RTSPMediaFactory()
factory.set_launch(PICTURES)
factory.set_shared(True)
server.get_mount_points().add_factory("/tray", factory)
server.attach(None)
sys.stdout.write(f"{server.get_bound_port()}\n")
sys.stdout.flush()
GLib.MainLoop().run()
