import { elementsChain } from './elements-chain.js';
import type { Stage } from './event-context.js';

/** Moves the clicked element and its ancestors to a column of their own, as one text. */
export const putElementsChain: Stage = {
  name: 'put-elements-chain',
  run: (context) => {
    const { properties } = context;
    const { $elements: list, $elements_chain: chain } = properties;
    if (list === undefined && chain === undefined) return undefined;
    if (typeof chain === 'string' && chain !== '') context.elementsChain = chain;
    else if (Array.isArray(list)) context.elementsChain = elementsChain(list);
    if (list !== undefined) delete properties.$elements;
    if (chain !== undefined) delete properties.$elements_chain;
    return undefined;
  },
};
