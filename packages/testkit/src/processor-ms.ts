/** Milliseconds of the processor's time that this process takes for a piece of work: other processes make it no longer. */
export async function processorMs(work: () => unknown): Promise<number> {
  const begun = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}
