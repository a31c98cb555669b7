export const checkFilters = (_filters: unknown, _known: unknown): { path: string; message: string }[] => [];
