/** CPU time that this process spends on a piece of work, milliseconds. Other processes do not affect it. */
export async function processorMs(work: () => unknown): Promise<number> {
  const begun = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}
