/** Gateways that go wrong around a conversation: in odd streams, errors, embeddings, or when a client disconnects. */
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { FAULTS_OF_EXCHANGES, RIGHT_GATEWAYS } from './ai-gateways/faults.ts'
import { testRightGateways, testWrongGateways } from './ai-gateways/translate-run.ts'

const server = await launch()
t.teardown(() => server.stop())

testWrongGateways(t, server.url, FAULTS_OF_EXCHANGES)
testRightGateways(t, server.url, RIGHT_GATEWAYS)
