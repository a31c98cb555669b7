/** Where the blobs of recordings are. */
export const recordingPrefix = (projectId: number, sessionId: string): string => `recordings/${projectId}/${sessionId}/`;

export const chunkKey = (projectId: number, sessionId: string, hash: string): string =>
  `${recordingPrefix(projectId, sessionId)}${hash}`;
