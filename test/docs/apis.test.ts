/** Runs the examples of the documentation pages in the group `apis`. */
import t from 'tap'
import { runExamples } from '../support/examples.ts'
import { pagesOf } from './pages.ts'

for (const page of pagesOf('apis')) await runExamples(t, page)
