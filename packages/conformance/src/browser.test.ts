// @vitest-environment happy-dom
// the recorder takes unpatched DOM methods from an empty iframe
// @vitest-environment-options {"settings":{"enableIframePageLoading":true}}
import { startInBrowser } from './drivers/browser.js';
import { common } from './drivers/common.js';
import { everyContract } from './every/index.js';
import { personContract, setupContract } from './person/index.js';

everyContract(common(startInBrowser));
setupContract(startInBrowser);
personContract(startInBrowser);
