/** Name of the variable of the page that a text sets when it runs as a script. */
export const HACKED = 'hacked';
const RUN = `window.${HACKED}=1`;

/** Texts that run a script, leave their place or load something from elsewhere, where a page does not escape them. */
export const HOSTILE_TEXTS: readonly string[] = [
  `<script>${RUN}</script>`,
  `<img src=x onerror=${RUN}>`,
  `<svg onload=${RUN}>`,
  `<svg><script>${RUN}</script></svg>`,
  `"><script>${RUN}</script>`,
  `'><img src=x onerror=${RUN}>`,
  `" onmouseover="${RUN}" autofocus onfocus="${RUN}`,
  `' onfocus='${RUN}' autofocus='`,
  `</title><script>${RUN}</script>`,
  `</textarea><script>${RUN}</script>`,
  `</style><script>${RUN}</script>`,
  `--><script>${RUN}</script>`,
  `<iframe srcdoc="<script>top.${HACKED}=1</script>"></iframe>`,
  `<iframe src="javascript:top.${HACKED}=1"></iframe>`,
  `<a href="javascript:${RUN}">press</a>`,
  `[press](javascript:${RUN})`,
  `![picture](https://elsewhere.example/pixel.gif)`,
  `<math><mtext><table><mglyph><style><img src=x onerror=${RUN}>`,
  `<details open ontoggle=${RUN}>`,
  `<style>@import 'https://elsewhere.example/a.css';</style>`,
  `\${${RUN}}{{constructor.constructor('${RUN}')()}}`,
  `javascript:${RUN}//`,
];
