import { open } from 'node:fs/promises';

/** Makes the names in a directory durable (fsync): a new or renamed file survives a power loss. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
