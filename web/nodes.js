// Nodes with their pods. What is not well has its name and state in words; what is well is small where there is much of it.

import { h, fill } from "./dom.js";

/** More pods than this are drawn without their names, but for those that are not well. */
const FEW = 60;
/** Pods that only wait for the next look. */
const SYSTEM = new Set(["kube-system", "kube-node-lease", "kube-public", "local-path-storage"]);

/** What controllers put behind the names of their pods: letters that make no words. */
const HASHES = /(-[bcdfghjklmnpqrstvwxz2456789]{6,10})?-[bcdfghjklmnpqrstvwxz2456789]{5}$/;

/** The nodes of a cluster; `show(picture)` draws a moment. */
export function nodeView() {
  const grid = h("div.nodes");
  const about = h("p.pod-about.muted", { "aria-live": "polite" }, "Pick a pod to read about it.");
  const spaces = h("select", { "aria-label": "Namespaces that are shown" });
  let picked = null;
  let picture = null;
  const draw = () => {
    const wanted = spaces.value;
    const pods = picture.pods.filter((pod) => (wanted === "own" ? !SYSTEM.has(pod.namespace) : wanted === "all" || pod.namespace === wanted));
    const isCompact = pods.length > FEW;
    const by = (node) => pods.filter((pod) => pod.node === node);
    const tile = (pod) => podTile(pod, isCompact, pod.namespace + pod.name === picked, () => ((picked = pod.namespace + pod.name), tell(pod), draw()));
    const cards = picture.nodes.map((node) => nodeCard(node, by(node.name), tile));
    const lost = by("");
    if (lost.length) cards.push(h("section.node.none", { "aria-label": "Not scheduled" }, h("h3", "Not scheduled", h("span.muted", ` ${lost.length}`)), h("ul.pods", lost.map(tile))));
    const focus = grid.contains(document.activeElement) ? document.activeElement.dataset.pod : null;
    fill(grid, cards);
    if (focus) [...grid.querySelectorAll("[data-pod]")].find((one) => one.dataset.pod === focus)?.focus();
    grid.classList.toggle("compact", isCompact);
  };
  const tell = (pod) => fill(about, h("strong", pod.name), ` in ${pod.namespace}: ${pod.status}, ${pod.ready} of ${pod.containers} containers ready, ${pod.restarts} restarts, ${pod.node ? `on ${pod.node}` : "on no node"}`);
  spaces.addEventListener("change", draw);
  return {
    root: h("section.cluster-nodes", { "aria-label": "Nodes and pods" }, h("div.section-row", h("h2", "Nodes and pods"), spaces), grid, about),
    show(next) {
      picture = next;
      const names = [...new Set(next.pods.map((pod) => pod.namespace))].sort();
      const options = [["own", "Without system pods"], ["all", "All namespaces"], ...names.map((name) => [name, name])];
      if (spaces.options.length !== options.length) {
        const before = spaces.value;
        fill(spaces, options.map(([value, text]) => h("option", { value }, text)));
        spaces.value = options.some(([value]) => value === before) ? before : "own";
      }
      draw();
      const known = next.pods.find((pod) => pod.namespace + pod.name === picked);
      if (known) tell(known);
      else if (picked) fill(about, "The pod that was picked is not there at this moment.");
    },
  };
}

function nodeCard(node, pods, tile) {
  const troubled = pods.filter((pod) => !pod.ok);
  return h(
    `section.node${node.ready ? "" : ".down"}`, { "aria-label": `Node ${node.name}` },
    h("h3", node.name, " ", h(`span.tag.${node.ready ? "good" : "bad"}`, node.ready ? "Ready" : "NotReady"), node.notes.map((note) => h("span.tag.act", { title: note }, note.replace("node-role.kubernetes.io/", "")))),
    h("p.muted", `${pods.length} pods${troubled.length ? `, ${troubled.length} not well` : ""}`),
    // Those that are not well stand in front.
    h("ul.pods", [...troubled, ...pods.filter((pod) => pod.ok)].map(tile)),
  );
}

function podTile(pod, isCompact, isPicked, pick) {
  const state = pod.ok ? "ok" : /Pending|Creating|Terminating|Init:|PodInitializing|Running/.test(pod.status) ? "waits" : "broken";
  const short = pod.name.replace(HASHES, "");
  const label = `${pod.name}: ${pod.status}, ${pod.ready} of ${pod.containers} ready, ${pod.restarts} restarts`;
  const text = pod.ok && isCompact ? null : [h("span.pod-name", short), pod.ok ? null : h("span.pod-state", ` ${pod.status === "Running" ? `${pod.ready}/${pod.containers} ready` : pod.status}`), pod.restarts ? h("span.pod-restarts", ` ↻${pod.restarts}`) : null];
  return h("li", h(`button.pod.${state}`, { type: "button", title: label, "aria-label": label, "aria-pressed": String(isPicked), dataset: { pod: `${pod.namespace}/${pod.name}` }, onclick: pick }, text));
}
