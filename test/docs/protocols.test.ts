/** Runs the examples of the documentation pages in the group `protocols`. */
import t from 'tap'
import { runExamples } from '../support/examples.ts'
import { pagesOf } from './pages.ts'

for (const page of pagesOf('protocols')) await runExamples(t, page)
