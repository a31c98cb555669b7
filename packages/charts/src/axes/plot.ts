/** The area of a chart within its axes; pixels. */
export interface Plot {
  left: number;
  top: number;
  width: number;
  height: number;
  /** Pixels from one bucket to the next. */
  step: number;
  /** The middle of a bucket. */
  xOf: (place: number) => number;
}
