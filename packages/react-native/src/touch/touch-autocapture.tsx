import { type Client, isRecord } from '@tidemark/client';
import { useAnalytics } from '@tidemark/react/slim';
import { type ElementType, type ReactNode, useMemo, useRef } from 'react';
import { TapsAreCaptured, tellTapTargets } from './tap-target.js';
import { touchedElements } from './touched-elements.js';

/** What is inside, and which of its taps are captured. */
export interface TouchAutocaptureProps {
  /** React Native's `View`. */
  view: ElementType;
  /** False: only taps on an `AnalyticsFeature` are captured. */
  captureTaps?: boolean;
  children?: ReactNode;
}

/** Farther than this between its ends, in points, a touch is a swipe. */
const TAP = 10;

/** The touch that a client has captured last: it comes to each of these components that are around what was touched. */
const captured = new WeakMap<Client, unknown>();

/**
 * Captures taps on what is inside, also those on an `AnalyticsFeature`. Elements with the prop `tm-no-capture`, and all in them, are left
 * out; what people type never leaves the device.
 *
 * @example
 * ```tsx
 * <AnalyticsProvider client={client}>
 *   <TouchAutocapture view={View}>
 *     <App />
 *   </TouchAutocapture>
 * </AnalyticsProvider>
 * ```
 */
export function TouchAutocapture({ view: View, captureTaps = true, children }: TouchAutocaptureProps): ReactNode {
  const client = useAnalytics();
  const began = useRef<Place>(undefined);
  const handlers = useMemo(
    () => ({
      onTouchStart: (event: unknown) => {
        began.current = placeOf(event);
      },
      onTouchEnd: (event: unknown) => {
        const place = placeOf(event);
        const from = began.current;
        began.current = undefined;
        if (from && place && Math.hypot(place.x - from.x, place.y - from.y) > TAP) return;
        if (!client || !isRecord(event)) return;
        tellTapTargets(event['_targetInst']);
        const elements = captureTaps ? touchedElements(event['_targetInst']) : undefined;
        const touch = event['nativeEvent'];
        if (!elements?.length || (touch && captured.get(client) === touch)) return;
        captured.set(client, touch);
        client.capture('$autocapture', {
          $event_type: 'click',
          $elements: elements,
          ...(place ? { $touch_x: place.x, $touch_y: place.y } : {}),
        });
      },
    }),
    [client, captureTaps],
  );
  return (
    <TapsAreCaptured.Provider value={true}>
      <View style={FILL} {...handlers}>
        {children}
      </View>
    </TapsAreCaptured.Provider>
  );
}

const FILL = { flex: 1 };

interface Place {
  x: number;
  y: number;
}

function placeOf(event: unknown): Place | undefined {
  const native = isRecord(event) ? event['nativeEvent'] : undefined;
  if (!isRecord(native)) return undefined;
  const { pageX: x, pageY: y } = native;
  return typeof x === 'number' && typeof y === 'number' ? { x, y } : undefined;
}
