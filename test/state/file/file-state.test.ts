import { describe } from 'vitest';
import { fileState } from '../../../src/state/sqlite/file-state.js';
import { itKeepsTheContract } from './contract.js';

describe('fileState', () => {
  itKeepsTheContract(fileState);
});
