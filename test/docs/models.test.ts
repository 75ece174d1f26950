/** The examples of the documentation's pages, group `models`. */
import t from 'tap'
import { runExamples } from '../support/examples.ts'
import { pagesOf } from './pages.ts'

for (const page of pagesOf('models')) await runExamples(t, page)
