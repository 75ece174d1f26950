/** Runs the blocks of docs/plugins.md. */
import t from 'tap'
import { followPage } from '../../support/author.ts'

// Each command starts a process, which is slow on a busy machine.
t.setTimeout(600_000)
t.test('every block works [KIT-6]', t => followPage(t, 'plugins'))
