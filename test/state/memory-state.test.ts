import { memoryState } from 'opendelivery-client';
import { stateContract } from './contract.js';

stateContract('memoryState', () => memoryState());
