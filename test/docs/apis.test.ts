/** The examples of the documentation's pages, group `apis`. */
import t from 'tap'
import { runExamples } from '../support/examples.ts'
import { pagesOf } from './pages.ts'

for (const page of pagesOf('apis')) await runExamples(t, page)
