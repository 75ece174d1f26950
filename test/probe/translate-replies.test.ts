/** Gateways that lose something of replies between wires. */
import t from 'tap'
import { FAULTS_OF_REPLIES } from './ai-gateways/faults.ts'
import { testWrongGateways } from './ai-gateways/translate-run.ts'

testWrongGateways(t, FAULTS_OF_REPLIES)
