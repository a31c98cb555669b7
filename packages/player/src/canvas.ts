import { EventType, type eventWithTime, IncrementalSource } from 'rrweb';
import { fieldsOf, imageOf, listOf } from './mobile/index.js';

/** How large a canvas is where the page does not say: as in browsers, which show none of them without scripts. */
export const CANVAS_SIZE =
  ':where(canvas){display:inline-block;width:300px;aspect-ratio:2;width:attr(width px,300px);' +
  'aspect-ratio:attr(width type(<number>),300)/attr(height type(<number>),150)}';

/**
 * What was drawn on a canvas as the background of the element. posthog-js tells it as commands, of which the last draws an image of the
 * whole. Any other event is given back as it is.
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
