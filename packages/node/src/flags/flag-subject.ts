/** For whom flags are evaluated. */
export interface FlagSubject {
  distinctId: string;
  deviceId?: string | undefined;
  /** Whether the service looks up no place for the address of the request; undefined: as the client's option says. */
  disableGeoip?: boolean | undefined;
  /** Keys by the name of the group's type. */
  groups: Readonly<Record<string, string>>;
  /** Before those that the service has stored. */
  personProperties: Readonly<Record<string, unknown>>;
  /** By the name of the group's type; before those that the service has stored. */
  groupProperties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
