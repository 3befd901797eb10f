{{/*
Selector labels of a component. Immutable in a Deployment: never add or remove a label.
Argument: (dict "root" $ "component" "gateway").
*/}}
{{- define "survey.selector" -}}
app.kubernetes.io/name: survey
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* Labels of every object and pod; its own override the common ones. Argument: that of the selector, with ["labels" dict]. */}}
{{- define "survey.labels" -}}
{{ include "survey.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: survey
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with merge (dict) (default dict .labels) (default dict .root.Values.commonLabels) }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Selector labels of all pods of the release. */}}
{{- define "survey.releaseSelector" -}}
app.kubernetes.io/part-of: survey
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- end -}}

{{/*
Start of an object: apiVersion, kind, metadata.
Argument: (dict "root" $ "apiVersion" … "kind" … "name" … "component" … ["annotations" dict] ["labels" dict]).
*/}}
{{- define "survey.head" -}}
apiVersion: {{ .apiVersion }}
kind: {{ .kind }}
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "survey.labels" . | nindent 4 }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
