import type { Blobs } from '../ports/blobs.js';

const unreachable = () => Promise.reject(new Error('no blobs in this test'));

/** For services that store none. */
export const noBlobs: Blobs = {
  put: unreachable,
  get: unreachable,
  size: unreachable,
  delete: unreachable,
  deleteAll: unreachable,
  list: () => {
    throw new Error('no blobs in this test');
  },
  close: async () => {},
};

/** For services that make no backups. */
export const noFolder = unreachable;
