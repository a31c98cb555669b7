/** Whether a path segment is a UUID, dashed or not, so that it may be compared with a uuid column. */
export const isUuid = (segment: string): boolean => /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(segment);
