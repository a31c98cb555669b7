import { startOnServer } from './drivers/node.js';
import { everyContract } from './every/index.js';

everyContract(startOnServer);
