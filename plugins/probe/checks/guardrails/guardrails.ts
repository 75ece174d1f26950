/** The group `guardrails`: whether values that a guardrail stops can get around it. */
import type { Check } from '../../catalog/check.ts'
import { GRD_BLOCK, GRD_ROUTES } from './block.ts'
import { GRD_FAILOPEN } from './fail-open.ts'
import { GRD_SPLIT } from './split.ts'
import { GRD_TOOL } from './tool.ts'

export const GUARDRAIL_CHECKS: readonly Check[] = [GRD_BLOCK, GRD_SPLIT, GRD_TOOL, GRD_ROUTES, GRD_FAILOPEN]
