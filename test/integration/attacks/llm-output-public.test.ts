/**
 * Replies of models that multiply what the request gives, in public mode.
 * Measures: memory and processor time of a process.
 */
import t from 'tap'
import { attackOutput } from '../../support/llm-output-attacks.ts'

t.test('replies neither fill the process nor stop it for others [HARD-30]', t => attackOutput(t, { isPublic: true }))
