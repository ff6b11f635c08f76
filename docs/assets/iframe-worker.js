"use strict";

// Search runs in a worker, and browsers start no workers for pages that are opened from a folder. There, the worker's script
// runs in a hidden frame, which has the few functions of a worker that it calls.

if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    #listeners = [];
    #waiting = [];

    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.addEventListener("load", () => this.#start(frame.contentWindow, url), { once: true });
      document.body.append(frame);
    }

    postMessage(data) {
      if (this.#waiting) this.#waiting.push(data);
      else setTimeout(() => this.#listeners.forEach((listener) => listener({ data })));
    }

    #start(inner, url) {
      const load = (source) =>
        new Promise((resolve, reject) => {
          const script = inner.document.createElement("script");
          Object.assign(script, { src: source, onload: resolve, onerror: reject });
          inner.document.body.append(script);
        });
      inner.addEventListener = (kind, listener) => kind === "message" && this.#listeners.push(listener);
      inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inner.importScripts = async (...sources) => {
        for (const source of sources) await load(source);
      };
      load(url).then(() => {
        const waiting = this.#waiting;
        this.#waiting = undefined;
        waiting.forEach((data) => this.postMessage(data));
      });
    }
  };
}
