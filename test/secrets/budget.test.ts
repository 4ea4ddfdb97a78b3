import { expect, it } from 'vitest';
import { Budget, BudgetExceeded } from '../../src/secrets/budget.js';

it('a budget grows with the length of the text and throws when it is used up', () => {
  expect(new Budget(2000).limit - new Budget(1000).limit).toBe(16_000);
  const budget = new Budget(0);
  budget.spend(budget.limit);
  expect(budget.spent).toBe(budget.limit);
  expect(() => budget.spend(1)).toThrow(BudgetExceeded);
});
