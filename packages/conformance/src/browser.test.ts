// @vitest-environment happy-dom
import { startInBrowser } from './drivers/browser.js';
import { common } from './drivers/common.js';
import { everyContract } from './every/index.js';
import { personContract, setupContract } from './person/index.js';

everyContract(common(startInBrowser));
setupContract(startInBrowser);
personContract(startInBrowser);
