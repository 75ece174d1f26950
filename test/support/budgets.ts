/** Budgets with the default values. */
import { readEnvironment } from '../../core/config/environment.ts'
import type { Budgets } from '../../core/contract/budgets.ts'

export const BUDGETS: Budgets = readEnvironment({}).config.budgets
