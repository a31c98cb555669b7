/** What every process hears of changes of the metadata, whoever made them. */
export interface Changes {
  /**
   * Calls `listener` after each committed change of what the API shows or of who may see it: with the project that it was in,
   * or with null when it may have been anywhere, or when changes may have been missed.
   */
  onChange(listener: (projectId: number | null) => void): void;
  /** Whether changes are heard at the moment. */
  heard(): boolean;
}
