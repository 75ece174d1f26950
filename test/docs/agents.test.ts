/** Runs the examples of the documentation pages in the group `agents`. */
import t from 'tap'
import { runExamples } from '../support/examples.ts'
import { pagesOf } from './pages.ts'

for (const page of pagesOf('agents')) await runExamples(t, page)
