/** Gateways that lose something of replies between wires. */
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { FAULTS_OF_REPLIES } from './ai-gateways/faults.ts'
import { testWrongGateways } from './ai-gateways/translate-run.ts'

const server = await launch()
t.teardown(() => server.stop())

testWrongGateways(t, server.url, FAULTS_OF_REPLIES)
