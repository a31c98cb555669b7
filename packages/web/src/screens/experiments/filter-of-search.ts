import type { ExperimentFilter, ExperimentStatus } from '../../data/experiments.js';

/** `search`: text. `is`: the stage, or `archived`. */
export interface ExperimentsSearch {
  search?: string;
  is?: ExperimentStatus | 'archived';
}

export const filterOfSearch = ({ search, is }: ExperimentsSearch): ExperimentFilter => ({
  ...(search && { search }),
  ...(is === 'archived' ? { archived: true } : is && { status: is }),
});
