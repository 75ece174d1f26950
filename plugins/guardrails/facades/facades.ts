/** All façades. */
import { AGENTGATEWAY } from './agentgateway.ts'
import { COMPREHEND } from './comprehend.ts'
import { F5 } from './f5.ts'
import type { GuardFacade } from './facade.ts'
import { LAKERA } from './lakera.ts'
import { LITELLM } from './litellm.ts'
import { MODEL_ARMOR } from './model-armor.ts'
import { PORTKEY } from './portkey.ts'
import { PRESIDIO } from './presidio.ts'

export const FACADES: readonly GuardFacade[] = [
  AGENTGATEWAY,
  LITELLM,
  LAKERA,
  PRESIDIO,
  COMPREHEND,
  F5,
  MODEL_ARMOR,
  PORTKEY,
]
