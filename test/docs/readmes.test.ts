/** Runs the examples of the README and of the plugins' READMEs, on one shared server if they need no settings. */
import t from 'tap'
import { runExamples } from '../support/examples.ts'
import { serve } from '../support/server.ts'
import { readmes } from './pages.ts'

const server = await serve(t)
for (const page of readmes()) await runExamples(t, page, server)
await runExamples(t, 'README.md')
