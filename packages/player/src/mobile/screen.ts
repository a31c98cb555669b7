import { EventType, type eventWithTime, IncrementalSource, MouseInteractions } from 'rrweb';
import { draw } from './draw.js';
import { createOutline, type Frame, type Outline } from './outline.js';
import { BODY, createPage } from './page.js';
import { type Fields, fieldsOf, isFields, listOf, numberOf, pixelsOf, textOf } from './values.js';

/** Interaction types that the player shows. */
const TOUCHES = [
  MouseInteractions.Click,
  MouseInteractions.TouchStart,
  MouseInteractions.TouchEnd,
  MouseInteractions.TouchCancel,
];

/**
 * Converts the events of one window, in order, to events that rrweb can play. Events of web pages pass unchanged. The wireframes of a
 * mobile application become a page of two kinds of elements, with styles and images from an allowlist. Malformed parts are dropped.
 * What cannot be read is left out.
 */
export function createScreen(): (event: eventWithTime) => eventWithTime[] {
  const page = createPage();
  /** Undefined: the window shows a web page. */
  let outline: Outline | undefined;
  let keyboard: Frame[] = [];
  let size = { width: 0, height: 0 };
  let address = '';
  /** Whether the next screen begins a new page, which needs a full snapshot. */
  let isNew = true;
  /** Whether a meta event has given the size of the next full snapshot. */
  let isSized = false;

  const shown = ({ timestamp }: eventWithTime): eventWithTime[] => {
    const mutation = page.show(outline?.frames(keyboard) ?? []);
    if (isNew) {
      isNew = false;
      return [{ type: EventType.FullSnapshot, timestamp, data: page.picture() }];
    }
    const isSame = Object.values(mutation).every((part) => !Array.isArray(part) || part.length === 0);
    return isSame ? [] : [{ type: EventType.IncrementalSnapshot, timestamp, data: mutation }];
  };

  /** iOS records the size only once. Later sizes are those of the first wireframe, the window. */
  const resized = ({ timestamp }: eventWithTime, wireframes: unknown): eventWithTime[] => {
    const window = fieldsOf(listOf(wireframes)[0]);
    const [width, height] = [pixelsOf(window['width']) ?? 0, pixelsOf(window['height']) ?? 0];
    if (width <= 0 || height <= 0 || (width === size.width && height === size.height)) return [];
    size = { width, height };
    isNew = true;
    return [{ type: EventType.Meta, timestamp, data: { href: address, ...size } }];
  };

  return (event) => {
    const data: Fields = fieldsOf(event.data);
    switch (event.type) {
      case EventType.Meta:
        size = { width: numberOf(data['width']) ?? 0, height: numberOf(data['height']) ?? 0 };
        address = textOf(data['href']);
        keyboard = [];
        isNew = true;
        isSized = true;
        return [event];
      case EventType.FullSnapshot: {
        if (isFields(data['node'])) {
          outline = undefined;
          isNew = true;
          return [event];
        }
        outline = createOutline(data['wireframes']);
        const sized = isSized ? [] : resized(event, data['wireframes']);
        isSized = false;
        return [...sized, ...shown(event)];
      }
      case EventType.IncrementalSnapshot:
        if (!outline) return [event];
        if (data['source'] === IncrementalSource.MouseInteraction) return touched(event, data);
        if (data['source'] !== IncrementalSource.Mutation) return [];
        outline.change(data);
        return shown(event);
      case EventType.Custom:
        if (!outline || data['tag'] !== 'keyboard') return [event];
        keyboard = keyboardOf(fieldsOf(data['payload']), size.height);
        return shown(event);
      default:
        return [event];
    }
  };
}

/** Converts a touch. The recorder knows its position only, so its target is the body. */
function touched({ timestamp }: eventWithTime, { type, x, y }: Fields): eventWithTime[] {
  const kind = TOUCHES.find((known) => known === type);
  const [left, top] = [numberOf(x), numberOf(y)];
  if (kind === undefined || left === undefined || top === undefined) return [];
  const data = { source: IncrementalSource.MouseInteraction as const, type: kind, id: BODY, x: left, y: top };
  return [{ type: EventType.IncrementalSnapshot, timestamp, data }];
}

/** Draws the on-screen keyboard, of which only the frame is recorded; default: at the bottom. */
function keyboardOf({ open, styles, ...place }: Fields, bottom: number): Frame[] {
  if (open !== true) return [];
  const y = place['y'] ?? bottom - (pixelsOf(place['height']) ?? 0);
  const width = place['width'] ?? '100vw';
  return [{ key: 'keyboard', drawn: draw({ ...place, y, width, type: 'placeholder', label: 'Keyboard', style: styles }) }];
}
