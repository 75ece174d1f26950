/** The examples of the README and of the plugins' READMEs, one server for all that need nothing special. */
import t from 'tap'
import { runExamples } from '../support/examples.ts'
import { readmes } from './pages.ts'

for (const page of ['README.md', ...readmes()]) await runExamples(t, page)
