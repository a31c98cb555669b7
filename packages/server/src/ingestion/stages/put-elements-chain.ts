import type { Stage } from './draft.js';
import { elementsChain } from './elements-chain.js';

/** The clicked element and its ancestors go into a column of their own, as one text. */
export const putElementsChain: Stage = {
  name: 'put-elements-chain',
  run: (draft) => {
    const { properties } = draft;
    const { $elements: list, $elements_chain: chain } = properties;
    if (list === undefined && chain === undefined) return undefined;
    if (typeof chain === 'string' && chain !== '') draft.elementsChain = chain;
    else if (Array.isArray(list)) draft.elementsChain = elementsChain(list);
    if (list !== undefined) delete properties.$elements;
    if (chain !== undefined) delete properties.$elements_chain;
    return undefined;
  },
};
