/** The examples of the documentation's pages, group `protocols`. */
import t from 'tap'
import { runExamples } from '../support/examples.ts'
import { pagesOf } from './pages.ts'

for (const page of pagesOf('protocols')) await runExamples(t, page)
