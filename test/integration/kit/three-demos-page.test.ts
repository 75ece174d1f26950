/** The page docs/three-demos.md, as a reader follows it. */
import t from 'tap'
import { followPage } from '../../support/author.ts'

// Each command is a process of its own; a busy machine takes its time.
t.setTimeout(600_000)
t.test('every block works [KIT-6]', t => followPage(t, 'three-demos'))
