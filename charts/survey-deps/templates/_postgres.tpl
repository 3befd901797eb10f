{{/* PostgreSQL; the context is that of survey-deps.stores. */}}
{{- define "survey-deps.postgres" -}}
{{- $values := .Values.postgres }}
{{- $pod := include "survey-lib.podValues" (dict "defaults" .Values.defaults "own" .Values.postgres) | fromJson }}
{{- $clients := (include "survey-deps.clients" (dict "root" . "store" "postgres") | fromJson).names }}
{{ include "survey-deps.surroundings" (dict "root" . "store" "postgres" "ports" (dict "postgres" 5432) "clients" (concat $clients (list "prepare" "test" "backup"))) }}
---
{{ include "survey-deps.statefulSet" (dict "root" . "store" "postgres") }}
      containers:
        - name: postgres
          image: {{ include "survey-lib.image" (dict "root" . "image" $values.image) }}
          args: [-c, max_connections={{ int $values.maxConnections }}, -c, track_activity_query_size=16kB]
          ports:
            - { name: postgres, containerPort: 5432 }
          env:
            {{- include "survey-lib.replaced" (dict "items" (include "survey-deps.postgresEnv" .) "pod" $pod "key" "extraEnv") | nindent 12 }}
          startupProbe:
            exec: { command: [pg_isready, -h, 127.0.0.1, -U, survey] }
            periodSeconds: 2
            failureThreshold: 90
          livenessProbe:
            tcpSocket: { port: postgres }
            periodSeconds: 20
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            exec: { command: [pg_isready, -h, 127.0.0.1, -U, survey] }
            periodSeconds: 5
            timeoutSeconds: 3
          {{- with $pod.extraEnvFrom }}
          envFrom:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          resources:
            {{- include "survey-lib.resources" $values.resources | nindent 12 }}
          securityContext:
            {{- include "survey-lib.containerSecurity" . | nindent 12 }}
          volumeMounts:
            {{- include "survey-lib.replaced" (dict "items" (include "survey-deps.postgresMounts" .) "pod" $pod "key" "extraVolumeMounts" "by" "mountPath") | nindent 12 }}
      volumes:
        {{- include "survey-lib.replaced" (dict "items" (include "survey-deps.postgresVolumes" .) "pod" $pod "key" "extraVolumes") | nindent 8 }}
{{- end -}}

{{- define "survey-deps.postgresEnv" -}}
- { name: POSTGRES_USER, value: survey }
- { name: POSTGRES_DB, value: survey }
- { name: PGDATA, value: /var/lib/postgresql/data/pgdata }
- name: POSTGRES_PASSWORD
  valueFrom:
    secretKeyRef: { name: {{ .Values.postgres.existingSecret }}, key: owner }
{{- end -}}

{{- define "survey-deps.postgresMounts" -}}
- { name: data, mountPath: /var/lib/postgresql/data }
- { name: run, mountPath: /var/run/postgresql }
- { name: tmp, mountPath: /tmp }
{{- end -}}

{{- define "survey-deps.postgresVolumes" -}}
- name: run
  emptyDir: { sizeLimit: 1Mi }
- name: tmp
  emptyDir: { sizeLimit: 64Mi }
{{- end -}}
