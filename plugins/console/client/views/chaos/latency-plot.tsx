/** Latency over time: one mark per request, over the states of a circuit breaker. */
import { useMemo, useRef } from 'preact/hooks'
import type uPlot from 'uplot'
import { formatMs } from '../../lib/protocol/http.ts'
import type { Sample } from '../../lib/load/load.ts'
import { classOf, type Band, type BreakerState, type SampleClass } from '../../lib/load/load-report.ts'
import { css, Plot } from '../../ui/plot.tsx'

/** Shapes distinguish the classes without relying on color. */
export const SAMPLE_CLASSES: Record<SampleClass, { title: string; color: string; shape: Shape }> = {
  '1xx': { title: '1xx', color: '--info', shape: 'diamond' },
  '2xx': { title: '2xx', color: '--good', shape: 'circle' },
  '3xx': { title: '3xx', color: '--info', shape: 'diamond' },
  '4xx': { title: '4xx', color: '--warn', shape: 'triangle' },
  '5xx': { title: '5xx', color: '--bad', shape: 'square' },
  error: { title: 'no complete response', color: '--text', shape: 'cross' },
}

const BAND_COLORS: Record<BreakerState, string> = {
  closed: '--good-soft',
  open: '--bad-soft',
  'half-open': '--warn-soft',
}
const BAND_LABEL_WIDTH = 52

export interface LatencyPlotProps {
  samples: readonly Sample[]
  /** An earlier run, drawn below as outlines. */
  kept: readonly Sample[]
  bands: readonly Band[]
  label: string
  height: number
}

export function LatencyPlot({ samples, kept, bands, label, height }: LatencyPlotProps) {
  const drawn = useRef({ samples, kept, bands })
  drawn.current = { samples, kept, bands }
  const data = useMemo(() => extentOf([...samples, ...kept]), [samples, kept, bands])

  function options(): Omit<uPlot.Options, 'width' | 'height'> {
    const text = css('--text-2')
    const grid = css('--surface-2')
    const colors = Object.fromEntries(
      [...Object.values(SAMPLE_CLASSES).map(({ color }) => color), ...Object.values(BAND_COLORS), '--text-2'].map(
        name => [name, css(name)],
      ),
    )
    // Presenter mode scales everything with the font size of the root element.
    const scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16
    const font = `${Math.round(12 * scale)}px ${getComputedStyle(document.body).fontFamily}`
    const axis = {
      stroke: text,
      font,
      labelFont: font,
      labelSize: 20 * scale,
      grid: { stroke: grid, width: 1 },
      ticks: { stroke: css('--border'), width: 1 },
    }
    return {
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: (_plot, _min, max) => [0, Math.max(max, 0.1)] },
        y: { range: (_plot, _min, max) => [0, Math.max(max * 1.08, 1)] },
      },
      axes: [
        { ...axis, size: 28 * scale, label: 'seconds since start' },
        {
          ...axis,
          size: 62 * scale,
          label: 'latency',
          values: (_plot, values) => values.map(value => (value === 0 ? '0' : formatMs(value))),
        },
      ],
      series: [{}, { paths: () => null, points: { show: false } }],
      hooks: {
        drawAxes: [plot => drawBands(plot, drawn.current.bands, colors, font)],
        draw: [
          plot => {
            drawSamples(plot, drawn.current.kept, colors, scale, true)
            drawSamples(plot, drawn.current.samples, colors, scale, false)
          },
        ],
      },
    }
  }

  return <Plot label={label} options={options} data={data} height={height} />
}

/** Data from which uPlot computes its scales; the marks are drawn separately. */
function extentOf(samples: readonly Sample[]): uPlot.AlignedData {
  const x = Math.max(0, ...samples.map(({ startMs }) => startMs)) / 1000
  return [
    [0, x],
    [0, Math.max(0, ...samples.map(({ ms }) => ms))],
  ]
}

function drawBands(plot: uPlot, bands: readonly Band[], colors: Record<string, string>, font: string): void {
  const { ctx, bbox } = plot
  const scale = devicePixelRatio
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  ctx.font = font.replace(/^(\d+)px/, (_match, size: string) => `${Number(size) * scale}px`)
  ctx.textAlign = 'left'
  ctx.textBaseline = 'top'
  for (const { state, fromMs, toMs } of bands) {
    const from = plot.valToPos(fromMs / 1000, 'x', true)
    const width = Math.max(plot.valToPos(toMs / 1000, 'x', true) - from, 2 * scale)
    ctx.globalAlpha = 0.75
    ctx.fillStyle = colors[BAND_COLORS[state]]!
    ctx.fillRect(from, bbox.top, width, bbox.height)
    ctx.globalAlpha = 1
    ctx.fillStyle = colors['--text-2']!
    if (width > BAND_LABEL_WIDTH * scale) ctx.fillText(state, from + 5 * scale, bbox.top + 4 * scale)
  }
  ctx.restore()
}

function drawSamples(
  plot: uPlot,
  samples: readonly Sample[],
  colors: Record<string, string>,
  scale: number,
  isOutline: boolean,
): void {
  const { ctx } = plot
  const size = 3.2 * scale * devicePixelRatio
  ctx.save()
  ctx.lineWidth = devicePixelRatio
  ctx.globalAlpha = isOutline ? 0.55 : 0.85
  for (const sample of samples) {
    const { color, shape } = SAMPLE_CLASSES[classOf(sample)]
    ctx.fillStyle = colors[color]!
    ctx.strokeStyle = isOutline ? colors['--text-2']! : colors[color]!
    ctx.beginPath()
    tracePath(ctx, shape, plot.valToPos(sample.startMs / 1000, 'x', true), plot.valToPos(sample.ms, 'y', true), size)
    if (isOutline || shape === 'cross') ctx.stroke()
    else ctx.fill()
  }
  ctx.restore()
}

export type Shape = 'circle' | 'square' | 'triangle' | 'diamond' | 'cross'

/** Corners around the origin, in units of half the size. */
const CORNERS: Record<Exclude<Shape, 'circle' | 'cross'>, readonly (readonly [x: number, y: number])[]> = {
  square: [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ],
  triangle: [
    [0, -1.2],
    [1.2, 1],
    [-1.2, 1],
  ],
  diamond: [
    [0, -1.4],
    [1.4, 0],
    [0, 1.4],
    [-1.4, 0],
  ],
}

function tracePath(ctx: CanvasRenderingContext2D, shape: Shape, x: number, y: number, size: number): void {
  if (shape === 'circle') return void ctx.arc(x, y, size, 0, 2 * Math.PI)
  if (shape === 'cross') {
    ctx.moveTo(x - size, y - size)
    ctx.lineTo(x + size, y + size)
    ctx.moveTo(x + size, y - size)
    ctx.lineTo(x - size, y + size)
    return
  }
  CORNERS[shape].forEach(([dx, dy], at) =>
    at === 0 ? ctx.moveTo(x + dx * size, y + dy * size) : ctx.lineTo(x + dx * size, y + dy * size),
  )
  ctx.closePath()
}

/** The same mark as an inline icon. */
export function SampleMark({ sampleClass }: { sampleClass: SampleClass }) {
  const { color, shape } = SAMPLE_CLASSES[sampleClass]
  const fill = `var(${color})`
  return (
    <svg class="chaos-mark" viewBox="-6 -6 12 12" aria-hidden="true" focusable="false">
      {shape === 'circle' && <circle r="4" fill={fill} />}
      {shape === 'cross' && <path d="M-4-4 4 4M4-4-4 4" stroke={fill} stroke-width="1.8" />}
      {shape !== 'circle' && shape !== 'cross' && (
        <polygon points={CORNERS[shape].map(([x, y]) => `${x * 4},${y * 4}`).join(' ')} fill={fill} />
      )}
    </svg>
  )
}
