/** Gateways that go wrong around a conversation: in odd streams, errors, embeddings, or when a client leaves. */
import t from 'tap'
import { FAULTS_OF_EXCHANGES, RIGHT_GATEWAYS } from './ai-gateways/faults.ts'
import { testRightGateways, testWrongGateways } from './ai-gateways/translate-run.ts'

testWrongGateways(t, FAULTS_OF_EXCHANGES)
testRightGateways(t, RIGHT_GATEWAYS)
