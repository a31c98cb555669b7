/** Ends the process with one sentence when this Node.js is too old. */
export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`Tidemark needs Node.js 20.19 or newer, and this is ${process.versions.node}: see https://nodejs.org.`);
  process.exit(1);
}
