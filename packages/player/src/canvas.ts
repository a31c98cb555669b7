import { EventType, type eventWithTime, IncrementalSource } from 'rrweb';
import { fieldsOf, imageOf, listOf } from './mobile/index.js';

/** Sizes canvas elements by their attributes, by default 300 × 150 as HTML does: without scripts, browsers do not treat them as canvases. */
export const CANVAS_SIZE =
  ':where(canvas){display:inline-block;width:300px;aspect-ratio:2;width:attr(width px,300px);' +
  'aspect-ratio:attr(width type(<number>),300)/attr(height type(<number>),150)}';

/**
 * Converts a canvas mutation to a background image of the element. posthog-js records a list of commands, the last of
 * which draws an image of the whole canvas. Other events are returned unchanged.
 */
export function asBackground(event: eventWithTime): eventWithTime {
  if (event.type !== EventType.IncrementalSnapshot || event.data.source !== IncrementalSource.CanvasMutation) return event;
  const { id, commands } = fieldsOf(event.data);
  const drawing = listOf(commands)
    .map(fieldsOf)
    .findLast(({ property }) => property === 'drawImage');
  const first = (list: unknown) => fieldsOf(listOf(list)[0]);
  const blob = first(first(drawing?.['args'])['args']);
  const image = imageOf(`data:${blob['type']};base64,${first(blob['data'])['base64']}`);
  if (typeof id !== 'number' || !image) return event;
  const style = { 'background-image': `url(${image})`, 'background-size': '100% 100%' };
  const attributes = [{ id, attributes: { style } }];
  return { ...event, data: { source: IncrementalSource.Mutation, texts: [], attributes, removes: [], adds: [] } };
}
