/** Notifications of changes of the metadata, by any process. */
export interface Changes {
  /**
   * Calls `listener` after each committed change of what the API shows or of who may see it, with the project that changed. null: any
   * project may have changed, or notifications may have been missed.
   */
  onChange(listener: (projectId: number | null) => void): void;
  /** Whether notifications arrive at the moment. */
  isListening(): boolean;
}

/** Name of the session of PostgreSQL by which a service hears of changes, as long as it runs. */
export const SERVICE_SESSION = 'tidemark service';
