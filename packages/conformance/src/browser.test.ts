// @vitest-environment happy-dom
// what records takes the methods of an empty frame
// @vitest-environment-options {"settings":{"enableIframePageLoading":true}}
import { startInBrowser } from './drivers/browser.js';
import { common } from './drivers/common.js';
import { everyContract } from './every/index.js';
import { personContract, setupContract } from './person/index.js';

everyContract(common(startInBrowser));
setupContract(startInBrowser);
personContract(startInBrowser);
