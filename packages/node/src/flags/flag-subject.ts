/** For whom flags are evaluated. */
export interface FlagSubject {
  distinctId: string;
  deviceId?: string | undefined;
  /** Whether the service skips GeoIP for the address of the request; undefined: the option of the client decides. */
  disableGeoip?: boolean | undefined;
  /** Keys by the name of the group's type. */
  groups: Readonly<Record<string, string>>;
  /** Override the properties that the service has stored. */
  personProperties: Readonly<Record<string, unknown>>;
  /** By group type; override the properties that the service has stored. */
  groupProperties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
