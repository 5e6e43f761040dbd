export { PrometheusMetrics, type PrometheusOptions } from './prometheus-metrics.js';
