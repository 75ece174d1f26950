/** A plot over time, drawn by uPlot, which is loaded when the first plot is shown. */
import { useEffect, useRef } from 'preact/hooks'
import type uPlot from 'uplot'

export interface PlotProps {
  /** What it shows, for screen readers. */
  label: string
  /** Axes, series and scales; colours as `css('--accent')`. Asked anew when `deps` change. */
  options: () => Omit<uPlot.Options, 'width' | 'height'>
  data: uPlot.AlignedData
  /** Pixels. Default 240. */
  height?: number
  deps?: readonly unknown[]
}

/** The colour of a design token in the theme of now, for canvases. */
export function css(name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

export function Plot({ label, options, data, height = 240, deps = [] }: PlotProps) {
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const latest = useRef({ options, data })
  latest.current = { options, data }

  useEffect(() => {
    const element = host.current!
    let isGone = false
    const resized = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }))
    void import('uplot').then(({ default: UPlot }) => {
      if (isGone) return
      plot.current = new UPlot({ ...latest.current.options(), width: element.clientWidth, height }, latest.current.data, element)
      resized.observe(element)
    })
    return () => {
      isGone = true
      resized.disconnect()
      plot.current?.destroy()
      plot.current = null
    }
  }, [height, ...deps])

  useEffect(() => { plot.current?.setData(data) }, [data])
  return <div ref={host} class="plot" role="img" aria-label={label} style={{ minHeight: `${height}px` }} />
}
